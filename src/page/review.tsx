/** The page on which a person reads what is asked and decides. */
import type { Approval } from "../approval/approval.ts";
import type { FieldProblem, FormSchema, PostedAnswers } from "../approval/form.ts";
import { DecisionBar, NoDefault, type ProofAsked } from "./bar.tsx";
import { copy } from "./copy.tsx";
import { defaultValues, FieldControl } from "./field.tsx";
import { ErrorSummary, type Frame, Layout, ScriptAlert } from "./layout.tsx";
import { Payload } from "./payload.tsx";
import { Ask, RequesterFacts } from "./requester.tsx";
import { brief, countHidden, Outside } from "./text.tsx";
import { When } from "./time.tsx";

export interface Enrolment {
  readonly name: string;
  readonly enrolledAt: number;
  readonly enrolledWay: "web" | "cli";
  readonly enrolledBy: string | null;
}

export interface ReviewProps {
  readonly frame: Frame;
  readonly approval: Approval;
  readonly form: FormSchema | null;
  readonly viewerOwnsRequester: boolean;
  readonly recentEnrolments: readonly Enrolment[];
  readonly proof: ProofAsked;
  readonly csrf: string;
  /** What was typed before; undefined at the first look, when the schema's defaults stand. */
  readonly posted: PostedAnswers | undefined;
  readonly comment: string;
  readonly problems: readonly FieldProblem[];
  /** What is wrong with the whole rather than a field. */
  readonly trouble: string | undefined;
}

export function ReviewPage(props: ReviewProps) {
  const { frame, approval, form, proof } = props;
  const errors = errorLinks(props);
  return (
    <Layout
      frame={frame}
      title={`${errors.length > 0 ? "Check: " : "Pending: "}${brief(approval.message, 60)}`}
      passkeys={proof.needed && proof.passkey}
      expiresAt={approval.expiresAt}
    >
      <form
        id="decide"
        class="decide"
        method="post"
        action={`/review?elicitationId=${approval.id}`}
        novalidate
        data-passkey={passkeyOn(props)}
        data-approval={approval.id}
      >
        <NoDefault />
        <input type="hidden" name="csrf" value={props.csrf} />
        <input type="hidden" name="requestDigest" value={approval.requestDigest} />
        <div class="sheet">
          <ErrorSummary errors={errors} />
          <ScriptAlert />
          <Ask approval={approval} />
          {countHidden(approval.message) > 0 && (
            <p class="warning">{copy.payload.hidden(countHidden(approval.message))}</p>
          )}
          {props.viewerOwnsRequester && <p class="note">{copy.review.owner}</p>}
          <Enrolments recent={props.recentEnrolments} now={frame.now} />
          <Shown approval={approval} title={form === null ? copy.review.payload : copy.review.payloadWithForm} />
          {form !== null && <FormFields {...props} form={form} />}
          <details class="about">
            <summary>{copy.requester.details}</summary>
            <RequesterFacts approval={approval} now={frame.now} />
          </details>
        </div>
        <DecisionBar
          approval={approval}
          hasForm={form !== null}
          proof={proof}
          comment={props.comment}
          problems={problemMap(props.problems)}
          now={frame.now}
        />
      </form>
    </Layout>
  );
}

/** Which presses the script turns into a passkey ceremony: with a form a submit goes by the confirm page. */
function passkeyOn({ proof, form }: ReviewProps): string | undefined {
  if (!proof.needed || !proof.passkey) return undefined;
  return form === null ? "both" : "declined";
}

/** The payload, or a word that there is none. */
export function Shown({ approval, title }: { approval: Approval; title: string }) {
  return (
    <section class="block">
      <h2>{title}</h2>
      {approval.displayTemplate !== null && <p class="note">{copy.review.template}</p>}
      {approval.contextText === null ? (
        <p class="quiet">{copy.review.noPayload}</p>
      ) : (
        <Payload text={approval.contextText} label={title} end={copy.payload.end} />
      )}
    </section>
  );
}

function FormFields({ form, posted, problems }: ReviewProps & { form: FormSchema }) {
  const wrong = problemMap(problems);
  return (
    <section class="block" aria-labelledby="form-title">
      <h2 id="form-title">{form.title === undefined ? copy.review.form : <Outside text={form.title} />}</h2>
      {form.description !== undefined && (
        <p>
          <Outside text={form.description} />
        </p>
      )}
      <p class="quiet">
        {copy.review.formNote} {form.fields.some((field) => field.required) && copy.review.requiredNote}
      </p>
      {form.fields.map((field, index) => (
        <FieldControl
          field={field}
          id={answerName(index)}
          values={posted === undefined ? defaultValues(field) : (posted.get(field.name) ?? [])}
          problem={wrong.get(field.name)}
        />
      ))}
    </section>
  );
}

/** The posted name of the n-th field. */
export function answerName(index: number): string {
  return `answer-${index}`;
}

function Enrolments({ recent, now }: { recent: readonly Enrolment[]; now: number }) {
  if (recent.length === 0) return <></>;
  return (
    <details class="note">
      <summary>{copy.enrolled.title(recent.length)}</summary>
      <ul>
        {recent.map((person) => (
          <li>
            <Outside text={person.name} />, {copy.enrolled.way[person.enrolledWay]}
            {person.enrolledBy !== null && <Outside text={copy.enrolled.by(person.enrolledBy)} />},{" "}
            <When at={person.enrolledAt} now={now} />
          </li>
        ))}
      </ul>
      <p>{copy.enrolled.hint}</p>
    </details>
  );
}

function errorLinks({ form, problems, trouble }: ReviewProps): { message: string; href?: string | undefined }[] {
  const errors: { message: string; href?: string | undefined }[] = trouble === undefined ? [] : [{ message: trouble }];
  for (const { field, message } of problems) {
    const index = form?.fields.findIndex(({ name }) => name === field) ?? -1;
    const found = form?.fields[index];
    if (found !== undefined)
      errors.push({ message: about(brief(found.title ?? found.name), message), href: `#${answerName(index)}` });
    else errors.push({ message, href: `#${field}` });
  }
  return errors;
}

/** A title that is a question already ends in a mark. */
function about(title: string, message: string): string {
  return /[?!:.]$/.test(title) ? `${title} ${message}` : `${title}: ${message}`;
}

function problemMap(problems: readonly FieldProblem[]): ReadonlyMap<string, string> {
  return new Map(problems.map(({ field, message }) => [field, message]));
}
