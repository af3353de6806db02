/** Who asks, since when and until when: outside everything the agent wrote. */
import type { Child } from "hono/jsx";
import type { Approval, Requester } from "../approval/approval.ts";
import { copy } from "./copy.tsx";
import { Outside } from "./text.tsx";
import { When } from "./time.tsx";

export function RequesterFacts({ approval, now }: { approval: Approval; now: number }) {
  const { requester } = approval;
  return (
    <dl class="facts-list">
      <Fact name={copy.requester.agent}>
        <Outside text={requester.agent.name} />
      </Fact>
      <Fact name={copy.requester.owner}>
        {requester.owner === null ? (
          <span class="quiet">{copy.requester.nobody}</span>
        ) : (
          <Outside text={requester.owner.name} />
        )}
      </Fact>
      {requester.client !== null && (
        <Fact name={copy.requester.client}>
          <Outside text={`${requester.client.name} ${requester.client.version}`} />{" "}
          <span class="quiet">({copy.requester.claim})</span>
        </Fact>
      )}
      <Fact name={copy.requester.asked}>
        <When at={approval.createdAt} now={now} />
      </Fact>
      <Fact name={copy.requester.expires}>
        <When at={approval.expiresAt} now={now} />
      </Fact>
      <Fact name={copy.requester.id}>
        <code class="long">{approval.id}</code>
      </Fact>
      <Fact name={copy.requester.digest}>
        <code class="long">{approval.requestDigest}</code>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The agent's words, said to be the agent's. */
export function Ask({ approval, level = "h1" }: { approval: Approval; level?: "h1" | "h2" }) {
  const Heading = level;
  return (
    <section class="ask">
      <p class="asker">
        <AgentName requester={approval.requester} /> asks
      </p>
      <Heading class={approval.message.length > 160 ? "message long" : "message"}>
        <Outside text={approval.message} />
      </Heading>
      <p class="quiet">{copy.review.written}</p>
    </section>
  );
}

export function AgentName({ requester }: { requester: Requester }) {
  return (
    <strong>
      <Outside text={requester.agent.name} />
    </strong>
  );
}

/** Enough of the digest to compare by eye; the whole stands in the details. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, "").slice(0, 8);
}
