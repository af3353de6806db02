/** A page for a person when something cannot be shown or done. */
import { copy } from "./copy.tsx";
import { type Frame, Layout } from "./layout.tsx";

interface ProblemProps {
  readonly frame: Frame;
  readonly title: string;
  readonly text: string;
  /** For the operator's log; only where the fault is ours. */
  readonly reference?: string | undefined;
  /** A better way on than the inbox. */
  readonly onward?: { readonly href: string; readonly words: string } | undefined;
}

export function ProblemPage({
  frame,
  title,
  text,
  reference,
  onward = { href: "/", words: copy.problem.inbox },
}: ProblemProps) {
  return (
    <Layout frame={frame} title={title} shape="narrow">
      <div class="sheet">
        <h1 tabindex={-1} autofocus>
          {title}
        </h1>
        <p>{text}</p>
        {reference !== undefined && (
          <p class="quiet">
            {copy.problem.reference} <code>{reference}</code>
          </p>
        )}
        <p>
          <a class="button" href={onward.href}>
            {onward.words}
          </a>
        </p>
      </div>
    </Layout>
  );
}
