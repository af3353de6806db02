/** How an approval lies in its row: the columns, and the reading of them. */
import type { Approval, ApprovalHead, Decision, Labels, Policy, Requester, Status } from "../approval/approval.ts";

/** The columns of a list: all but the bodies, which can be large. */
export interface ListedRow {
  workspace: string;
  id: string;
  requester: string;
  message: string;
  labels: string;
  policy: string;
  policy_digest: string;
  request_digest: string;
  context_digest: string | null;
  idempotency_key: string | null;
  status: Status;
  decision: Decision | null;
  created_at: number;
  expires_at: number;
  closed_at: number | null;
  consumed_at: number | null;
  cancel_reason: string | null;
}

export interface WholeRow extends ListedRow {
  context: string | null;
  requested_schema: string | null;
  display_template: string | null;
}

export const LISTED = `workspace, id, requester, message, labels, policy, policy_digest, request_digest, context_digest,
  idempotency_key, status, decision, created_at, expires_at, closed_at, consumed_at, cancel_reason`;
export const WHOLE = `${LISTED}, context, requested_schema, display_template`;

export function readHead(row: ListedRow): ApprovalHead {
  const facts = {
    workspace: row.workspace,
    id: row.id,
    kind: "approval" as const,
    requester: JSON.parse(row.requester) as Requester,
    message: row.message,
    contextDigest: row.context_digest,
    labels: JSON.parse(row.labels) as Labels,
    requestDigest: row.request_digest,
    policy: JSON.parse(row.policy) as Policy,
    policyDigest: row.policy_digest,
    idempotencyKey: row.idempotency_key,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
  const closedAt = row.closed_at ?? row.expires_at;
  switch (row.status) {
    case "pending":
      return { ...facts, status: "pending" };
    case "submitted":
    case "declined":
      return { ...facts, status: row.status, decision: row.status, closedAt };
    case "consumed":
      return {
        ...facts,
        status: "consumed",
        decision: decisionIn(row),
        closedAt,
        consumedAt: row.consumed_at ?? closedAt,
      };
    case "canceled":
      return { ...facts, status: "canceled", closedAt, reason: row.cancel_reason };
    case "expired":
      return { ...facts, status: "expired", closedAt };
  }
}

export function readWhole(row: WholeRow): Approval {
  return {
    ...readHead(row),
    contextText: row.context,
    schemaText: row.requested_schema,
    displayTemplate: row.display_template,
  };
}

function decisionIn(row: ListedRow): Decision {
  if (row.decision === null) throw new Error(`approval ${row.id} is consumed without a decision`);
  return row.decision;
}
