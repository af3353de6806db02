/** Sign-in. It tells nothing of what the visitor came to see: a link's preview shows this page. */
import { PasswordField } from "./bar.tsx";
import { copy } from "./copy.tsx";
import { ErrorSummary, type Frame, Layout, ScriptAlert } from "./layout.tsx";

interface SignInProps {
  readonly frame: Frame;
  /** Path and query on this origin. */
  readonly returnTo: string;
  readonly passkeys: boolean;
  /** Typed before. */
  readonly name: string;
  readonly trouble: string | undefined;
  /** True while nobody is enrolled. */
  readonly setupOpen: boolean;
}

export function SignInPage({ frame, returnTo, passkeys, name, trouble, setupOpen }: SignInProps) {
  return (
    <Layout frame={frame} title={copy.signIn.title} passkeys={passkeys} shape="narrow">
      <div class="sheet">
        <ErrorSummary errors={trouble === undefined ? [] : [{ message: trouble, href: "#name" }]} />
        <ScriptAlert />
        <h1>{copy.signIn.title}</h1>
        {setupOpen ? (
          <div class="note">
            <p>{copy.signIn.nobody}</p>
            <p>
              {copy.signIn.nobodyHow} <code>countersign setup</code> {copy.signIn.nobodyThen}
            </p>
          </div>
        ) : (
          <p>{returnTo === "/" ? copy.signIn.lead : copy.signIn.leadBack}</p>
        )}
        <form id="signin" class="card" method="post" action="/signin" data-return>
          <input type="hidden" name="returnTo" value={returnTo} />
          {passkeys && (
            <div class="script-only">
              <button type="button" class="button wide" data-passkey-signin>
                {copy.passkeyButton}
              </button>
              <p class="or">{copy.signIn.or}</p>
            </div>
          )}
          <div class="field">
            <label class="title" for="name">
              {copy.name}
            </label>
            <input
              id="name"
              name="name"
              type="text"
              value={name}
              autocomplete="username webauthn"
              autocapitalize="words"
              required
            />
          </div>
          <PasswordField />
          <button class="submit wide">{copy.signIn.button}</button>
        </form>
      </div>
    </Layout>
  );
}
