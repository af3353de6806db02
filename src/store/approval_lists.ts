/** Pages of approvals, newest first. Ids sort by time, so the cursor is the last id of the page before. */
import { type ApprovalHead, standingAt, type Status } from "../approval/approval.ts";
import { LISTED, type ListedRow, readHead } from "./approval_row.ts";
import type { Queryable } from "./database.ts";

/** Higher than every id: the cursor of the first page. */
export const FIRST_PAGE = "~";

export interface Page {
  readonly now: number;
  readonly limit: number;
  /** Ids below this one. */
  readonly before: string;
}

/** The requester's own. `status` is judged at `now`, so a pending one whose time is up counts as expired; a key finds one at most. */
export async function listOfAgent(
  q: Queryable,
  workspace: string,
  agent: string,
  page: Page & { status?: Status | undefined; idempotencyKey?: string | undefined },
): Promise<ApprovalHead[]> {
  const { status, idempotencyKey } = page;
  if (idempotencyKey !== undefined) {
    const rows = await q.query<ListedRow>(
      `SELECT ${LISTED} FROM approvals WHERE workspace = $1 AND agent = $2 AND idempotency_key = $3 AND id < $4 ORDER BY id DESC LIMIT $5`,
      [workspace, agent, idempotencyKey, page.before, page.limit],
    );
    const found = rows.map(readHead);
    return status === undefined ? found : found.filter((approval) => standingAt(approval, page.now).status === status);
  }
  if (status === undefined) {
    const rows = await q.query<ListedRow>(
      `SELECT ${LISTED} FROM approvals WHERE workspace = $1 AND agent = $2 AND id < $3 ORDER BY id DESC LIMIT $4`,
      [workspace, agent, page.before, page.limit],
    );
    return rows.map(readHead);
  }
  const stored = await q.query<ListedRow>(
    `SELECT ${LISTED} FROM approvals WHERE workspace = $1 AND agent = $2 AND status = $3 AND id < $4
       AND (status <> 'pending' OR expires_at > $5) ORDER BY id DESC LIMIT $6`,
    [workspace, agent, status, page.before, page.now, page.limit],
  );
  if (status !== "expired") return stored.map(readHead);
  const due = await q.query<ListedRow>(
    `SELECT ${LISTED} FROM approvals WHERE workspace = $1 AND agent = $2 AND status = 'pending' AND id < $3
       AND expires_at <= $4 ORDER BY id DESC LIMIT $5`,
    [workspace, agent, page.before, page.now, page.limit],
  );
  return [...stored, ...due]
    .map(readHead)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, page.limit);
}

/** What waits for a person, in the whole workspace. */
export async function listPending(q: Queryable, workspace: string, page: Page): Promise<ApprovalHead[]> {
  const rows = await q.query<ListedRow>(
    `SELECT ${LISTED} FROM approvals WHERE workspace = $1 AND status = 'pending' AND id < $2 AND expires_at > $3 ORDER BY id DESC LIMIT $4`,
    [workspace, page.before, page.now, page.limit],
  );
  return rows.map(readHead);
}

/** All of the workspace, for the operator. */
export async function listAll(q: Queryable, workspace: string, page: Page): Promise<ApprovalHead[]> {
  const rows = await q.query<ListedRow>(
    `SELECT ${LISTED} FROM approvals WHERE workspace = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
    [workspace, page.before, page.limit],
  );
  return rows.map(readHead);
}

/** As {@link listAll}, of one status as it stands at `now`. */
export async function listAllOf(q: Queryable, workspace: string, status: Status, page: Page): Promise<ApprovalHead[]> {
  if (status === "pending") return listPending(q, workspace, page);
  const rows = await q.query<ListedRow>(
    `SELECT ${LISTED} FROM approvals WHERE workspace = $1 AND id < $2
       AND (status = $3 OR ($3 = 'expired' AND status = 'pending' AND expires_at <= $4)) ORDER BY id DESC LIMIT $5`,
    [workspace, page.before, status, page.now, page.limit],
  );
  return rows.map(readHead);
}
