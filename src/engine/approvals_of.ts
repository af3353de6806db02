/** The port `Approvals`, bound to one requester. */
import type { Approvals } from "../approval/approvals.ts";
import { cancel } from "./cancel.ts";
import type { EngineDeps } from "./deps.ts";
import type { Agent } from "./engine.ts";
import { list } from "./list.ts";
import { request } from "./request.ts";
import { result } from "./result.ts";
import { status } from "./status.ts";
import { wait } from "./wait.ts";

export function approvalsOf(deps: EngineDeps, agent: Agent): Approvals {
  return {
    request: (input, options) => request(deps, agent, input, options),
    status: (id) => status(deps, agent, id),
    wait: (id, options) => wait(deps, agent, id, options),
    result: (id, options) => result(deps, agent, id, options),
    cancel: (id, options) => cancel(deps, agent, id, options),
    list: (query) => list(deps, agent, query),
  };
}
