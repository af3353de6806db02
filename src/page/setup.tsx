/** The first reviewer enrols, with the one-time code that the operator's terminal printed. */
import type { FieldProblem } from "../approval/form.ts";
import { PasswordField } from "./bar.tsx";
import { copy } from "./copy.tsx";
import { ErrorSummary, type Frame, Layout, ScriptAlert } from "./layout.tsx";

interface SetupProps {
  readonly frame: Frame;
  readonly passkeys: boolean;
  readonly code: string;
  readonly name: string;
  readonly problems: readonly FieldProblem[];
}

export function SetupPage({ frame, passkeys, code, name, problems }: SetupProps) {
  const wrong = new Map(problems.map(({ field, message }) => [field, message]));
  return (
    <Layout frame={frame} title={copy.setup.title} passkeys={passkeys} shape="narrow">
      <div class="sheet">
        <ErrorSummary errors={problems.map(({ field, message }) => ({ message, href: `#${field}` }))} />
        <ScriptAlert />
        <h1>{copy.setup.title}</h1>
        <p>
          {copy.setup.lead} <code>countersign setup</code>
        </p>
        <form id="setup" class="card" method="post" action="/setup" data-setup>
          <TextField
            id="code"
            title={copy.setup.code}
            hint={copy.setup.codeHint}
            value={code}
            problem={wrong.get("code")}
            autocomplete="one-time-code"
          />
          <TextField
            id="name"
            title={copy.name}
            hint={copy.setup.nameHint}
            value={name}
            problem={wrong.get("name")}
            autocomplete="username"
          />
          <h2>{copy.setup.how}</h2>
          {passkeys ? (
            <div class="script-only">
              <p class="hint">{copy.setup.passkeyHint}</p>
              <button type="button" class="submit wide" data-passkey-setup>
                {copy.passkeyButton}
              </button>
              <p class="or">{copy.setup.or}</p>
            </div>
          ) : (
            <p class="hint">{copy.setup.passkeysOff}</p>
          )}
          <PasswordField hint={copy.setup.passwordHint} problem={wrong.get("password")} fresh />
          <button class="button wide">{copy.setup.passwordButton}</button>
        </form>
      </div>
    </Layout>
  );
}

interface TextFieldProps {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly autocomplete: string;
}

function TextField({ id, title, hint, value, problem, autocomplete }: TextFieldProps) {
  return (
    <div class="field">
      <label class="title" for={id}>
        {title}
      </label>
      <p class={problem === undefined ? "hint" : "problem"} id={`${id}-hint`}>
        {problem ?? hint}
      </p>
      <input
        id={id}
        name={id}
        type="text"
        value={value}
        autocomplete={autocomplete}

        required
        aria-describedby={`${id}-hint`}
        aria-invalid={problem === undefined ? undefined : "true"}
      />
    </div>
  );
}

export function SetupClosedPage({ frame }: { frame: Frame }) {
  return (
    <Layout frame={frame} title={copy.setup.closedTitle} shape="narrow">
      <div class="sheet">
        <h1>{copy.setup.closedTitle}</h1>
        <p>{copy.setup.closed}</p>
        <p>
          <a class="button" href="/signin">
            {copy.signIn.button}
          </a>
        </p>
      </div>
    </Layout>
  );
}
