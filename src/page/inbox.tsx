/** What waits for a decision, newest first. */
import type { Requester } from "../approval/approval.ts";
import { copy } from "./copy.tsx";
import { type Frame, Layout } from "./layout.tsx";
import { AgentName } from "./requester.tsx";
import { Outside } from "./text.tsx";
import { When } from "./time.tsx";

export interface InboxEntry {
  readonly id: string;
  readonly message: string;
  readonly requester: Requester;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface InboxProps {
  readonly frame: Frame;
  readonly items: readonly InboxEntry[];
  readonly nextCursor: string | undefined;
  /** True on any page but the first. */
  readonly further: boolean;
}

/** Enough to recognise a request; the cut is said. */
const SHOWN_CHARACTERS = 280;

export function InboxPage({ frame, items, nextCursor, further }: InboxProps) {
  return (
    <Layout
      frame={frame}
      title={
        items.length === 0
          ? copy.inbox.empty
          : `${copy.inbox.title} (${items.length}${nextCursor === undefined && !further ? "" : "+"})`
      }
    >
      <div class="sheet">
        {items.length === 0 ? (
          <section class="empty">
            <h1>{copy.inbox.empty}</h1>
            <p>{copy.inbox.emptyThen}</p>
          </section>
        ) : (
          <>
            <h1>{copy.inbox.title}</h1>
            {!further && <p class="quiet">{copy.inbox.count(items.length, nextCursor !== undefined)}</p>}
            <ul class="inbox">
              {items.map((item) => (
                <li>
                  <a href={`/review?elicitationId=${item.id}`}>
                    <Outside text={cut(item.message)} />
                  </a>
                  <p class="quiet">
                    <AgentName requester={item.requester} /> · {copy.inbox.expires}{" "}
                    <When at={item.expiresAt} now={frame.now} />
                  </p>
                </li>
              ))}
            </ul>
          </>
        )}
        <nav class="pages" aria-label="Pages">
          {further && <a href="/">{copy.inbox.newest}</a>}
          {nextCursor !== undefined && <a href={`/?cursor=${encodeURIComponent(nextCursor)}`}>{copy.inbox.older}</a>}
        </nav>
      </div>
    </Layout>
  );
}

function cut(message: string): string {
  const points = Array.from(message);
  return points.length <= SHOWN_CHARACTERS ? message : points.slice(0, SHOWN_CHARACTERS).join("") + copy.inbox.cut;
}
