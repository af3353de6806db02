/** The requester's own approvals, newest first. Reads only. */
import type { ListPage, ListQuery } from "../approval/approvals.ts";
import { ApprovalError } from "../approval/errors.ts";
import { isApprovalId } from "../approval/id.ts";
import { readIdempotencyKey, readListLimit, readStatusFilter } from "../approval/inputs.ts";
import { FIRST_PAGE, listOfAgent } from "../store/approval_lists.ts";
import type { EngineDeps } from "./deps.ts";
import type { Agent } from "./engine.ts";
import { toStanding } from "./status.ts";

export async function list(deps: EngineDeps, agent: Agent, query: ListQuery = {}): Promise<ListPage> {
  const limit = readListLimit(query.limit, "/limit");
  const now = deps.now();
  // One more than asked for tells whether there is a next page.
  const found = await listOfAgent(deps.db, deps.workspace, agent.id, {
    now,
    limit: limit + 1,
    before: readCursor(query.cursor),
    status: readStatusFilter(query.status, "/status") ?? undefined,
    idempotencyKey: readIdempotencyKey(query.idempotencyKey, "/idempotencyKey") ?? undefined,
  });
  const items = found.slice(0, limit).map((approval) => ({
    ...toStanding(approval, now),
    message: approval.message,
    createdAt: approval.createdAt,
    idempotencyKey: approval.idempotencyKey,
  }));
  return { items, nextCursor: found.length > limit ? items.at(-1)?.id : undefined };
}

/** The cursor is the last id of the page before; ids sort by time. */
export function readCursor(cursor: unknown): string {
  if (cursor === undefined || cursor === null) return FIRST_PAGE;
  if (isApprovalId(cursor)) return cursor;
  throw new ApprovalError(
    "invalid_request",
    "This cursor is not one that a list returned. Leave it out to start at the newest.",
    { path: "/cursor" },
  );
}
