/** The gate in front of `/mcp`: a bearer token (RFC 6750) that names a living agent, or 401. */
import type { Agent } from "../engine/engine.ts";

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*) *$/i;

/**
 * @returns the agent, or the response that refuses. `WWW-Authenticate` names no `resource_metadata` (RFC 9728): there
 * is no OAuth issuer, and a client must not go looking for one.
 */
export async function readBearer(
  request: Request,
  authenticate: (token: string) => Promise<Agent | undefined>,
): Promise<Agent | Response> {
  const token = BEARER.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token === undefined)
    return unauthorized(
      "Bearer",
      "missing_token",
      "Send your agent's token as `Authorization: Bearer TOKEN`. The operator makes one with `countersign agent add NAME`.",
    );
  const agent = await authenticate(token);
  if (agent !== undefined) return agent;
  // Unknown, expired and revoked are one answer.
  const words = "This token is unknown, expired or revoked.";
  return unauthorized(
    `Bearer error="invalid_token", error_description="${words}"`,
    "invalid_token",
    `${words} The operator makes a new one with \`countersign agent rotate NAME\`.`,
  );
}

function unauthorized(challenge: string, error: string, description: string): Response {
  return Response.json(
    { error, error_description: description },
    { status: 401, headers: { "www-authenticate": challenge, "cache-control": "no-store" } },
  );
}
