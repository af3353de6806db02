/**
 * The decision bar: always inside the viewport, and nothing in it is the agent's but the renamed labels. A label
 * renames; order, icon, colour and place stay.
 */
import type { Approval } from "../approval/approval.ts";
import { copy } from "./copy.tsx";
import { AgentName, shortDigest } from "./requester.tsx";
import { brief, Outside } from "./text.tsx";
import { absoluteTime, shortRelativeTime } from "./time.tsx";

export interface ProofAsked {
  /** False while the session's own proof is fresh enough. */
  readonly needed: boolean;
  readonly password: boolean;
  readonly passkey: boolean;
}

interface BarProps {
  readonly approval: Approval;
  readonly hasForm: boolean;
  readonly proof: ProofAsked;
  readonly comment: string;
  readonly problems: ReadonlyMap<string, string>;
  readonly now: number;
}

export function DecisionBar({ approval, hasForm, proof, comment, problems, now }: BarProps) {
  const { labels } = approval;
  return (
    <section class="bar" aria-label={copy.decide.bar}>
      <p class="bar-facts">
        <span>
          <AgentName requester={approval.requester} /> · {copy.decide.expires}{" "}
          <time
            datetime={new Date(approval.expiresAt).toISOString()}
            title={absoluteTime(approval.expiresAt)}
            data-relative
          >
            {shortRelativeTime(approval.expiresAt, now)}
          </time>
        </span>
        <code title={approval.requestDigest}>{shortDigest(approval.requestDigest)}</code>
      </p>
      <details class="comment" open={comment !== "" || problems.has("comment")}>
        <summary>{copy.decide.comment}</summary>
        <label class="visually-hidden" for="comment">
          {copy.confirm.comment}
        </label>
        <textarea id="comment" name="comment" rows={2} maxlength={2000} aria-describedby="comment-hint">
          {"\n" + comment}
        </textarea>
        <p class="hint" id="comment-hint">
          {problems.get("comment") ?? copy.decide.commentHint}
        </p>
      </details>
      <ProofFields
        proof={proof}
        hint={hasForm ? copy.decide.declinePassword : undefined}
        problem={problems.get("password")}
      />
      <div class="buttons">
        <DecisionButton
          decision="declined"
          label={labels.decline}
          usual="Decline"
          word={copy.decide.declineWord}
          message={approval.message}
        />
        <DecisionButton
          decision="submitted"
          label={labels.submit}
          usual="Submit"
          word={copy.decide.submitWord}
          message={approval.message}
        />
      </div>
    </section>
  );
}

interface ButtonProps {
  readonly decision: "submitted" | "declined";
  readonly label: string;
  readonly usual: string;
  readonly word: string;
  readonly message: string;
}

function DecisionButton({ decision, label, usual, word, message }: ButtonProps) {
  const renamed = label !== usual;
  return (
    <button
      class={decision === "submitted" ? "submit" : "decline"}
      name="decision"
      value={decision}
      data-decision={decision}
      aria-label={`${label}${renamed ? ` ${word}` : ""}: ${brief(message)}`}
    >
      <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
        <path d={decision === "submitted" ? "M3 8.5l3.5 3.5L13 4.5" : "M4 4l8 8M12 4l-8 8"} />
      </svg>
      <span class="label">
        <Outside text={label} />
        {/* A renamed button still says which of the two it is. */}
        {renamed && <small> {word}</small>}
      </span>
    </button>
  );
}

/** The password, or the passkey first and the password behind it. */
export function ProofFields({
  proof,
  hint,
  problem,
}: {
  proof: ProofAsked;
  hint?: string | undefined;
  problem?: string | undefined;
}) {
  if (!proof.needed) return <></>;
  if (!proof.passkey)
    return proof.password ? (
      <PasswordField hint={hint} problem={problem} />
    ) : (
      <p class="hint">{copy.decide.missingPasskey}</p>
    );
  return (
    <div class="proof">
      <p class="hint script-only">{copy.decide.passkeyTouch}</p>
      {proof.password ? (
        <details open={problem !== undefined}>
          <summary>{copy.decide.orPassword}</summary>
          <PasswordField hint={hint} problem={problem} />
        </details>
      ) : (
        <noscript>
          <p class="hint">{copy.noScript}</p>
        </noscript>
      )}
    </div>
  );
}

export function PasswordField({
  hint,
  problem,
  fresh = false,
}: {
  hint?: string | undefined;
  problem?: string | undefined;
  fresh?: boolean;
}) {
  const about = hint === undefined && problem === undefined ? undefined : "password-hint";
  return (
    <div class="field">
      <label class="title" for="password">
        {copy.password}
      </label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete={fresh ? "new-password" : "current-password"}
        aria-describedby={about}
        aria-invalid={problem === undefined ? undefined : "true"}
      />
      {about !== undefined && (
        <p class={problem === undefined ? "hint" : "problem"} id="password-hint">
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}

/**
 * The form's default button, which does nothing: Enter in a field presses the first submit button of a form, and no
 * decision may come from that.
 */
export function NoDefault() {
  return (
    <button class="no-default" type="submit" disabled tabindex={-1} aria-hidden="true">
      {" "}
    </button>
  );
}
