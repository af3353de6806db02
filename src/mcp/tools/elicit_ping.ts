/** Answers, to show that the connection and the token work. */
import { ApprovalError } from "../../approval/errors.ts";
import { inputSchema, outputSchema, type Tool } from "../tool.ts";

export const elicitPing: Tool = {
  listed: {
    name: "elicit_ping",
    title: "Check the connection",
    description:
      "Answers `pong` with your message. Use it once to see that Countersign is reachable and your token is accepted. It asks nobody, stores nothing and says nothing about any approval; to ask a person use elicit_approval.",
    inputSchema: inputSchema({ message: { type: "string", description: "Comes back in the answer." } }),
    outputSchema: outputSchema({ message: { type: "string" } }, ["message"]),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },

  async call(args) {
    const message = args["message"] ?? "";
    if (typeof message !== "string")
      throw new ApprovalError("invalid_request", "message must be a string.", { path: "/message" });
    return { message: message === "" ? "pong" : `pong: ${message}` };
  },
};
