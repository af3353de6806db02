/** An approval as the operator sees it: the same words as on the wire, with the workspace's view. */
import { decisionOf } from "../approval/approval.ts";
import type { ApprovalHead } from "../approval/approval.ts";

export function summaryOf(approval: ApprovalHead): object {
  const decision = decisionOf(approval);
  return {
    elicitationId: approval.id,
    status: approval.status,
    ...(decision === undefined ? {} : { decision }),
    message: approval.message,
    requester: approval.requester,
    createdAt: new Date(approval.createdAt).toISOString(),
    expiresAt: new Date(approval.expiresAt).toISOString(),
    ...("closedAt" in approval ? { closedAt: new Date(approval.closedAt).toISOString() } : {}),
  };
}

/** `consumed` alone would hide yes from no. */
export function statusWords(approval: ApprovalHead): string {
  const decision = decisionOf(approval);
  return decision === undefined || decision === approval.status ? approval.status : `${decision}, ${approval.status}`;
}
