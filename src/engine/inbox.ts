/** What waits for a person, newest first. Everything in the workspace: any reviewer may decide any of it. */
import { listPending } from "../store/approval_lists.ts";
import type { EngineDeps } from "./deps.ts";
import type { Inbox } from "./engine.ts";
import { readCursor } from "./list.ts";
import { isApprovalId } from "../approval/id.ts";

const PAGE = 25;

/** A cursor that is not one of ours is read as the first page: it came from an address bar. */
export async function inbox(deps: EngineDeps, query: { cursor?: string | undefined } = {}): Promise<Inbox> {
  const found = await listPending(deps.db, deps.workspace, {
    now: deps.now(),
    limit: PAGE + 1,
    before: readCursor(isApprovalId(query.cursor) ? query.cursor : undefined),
  });
  const items = found
    .slice(0, PAGE)
    .map(({ id, message, requester, createdAt, expiresAt }) => ({ id, message, requester, createdAt, expiresAt }));
  return { items, nextCursor: found.length > PAGE ? items.at(-1)?.id : undefined };
}
