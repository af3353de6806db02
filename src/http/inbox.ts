/** `/`: what waits for this reviewer. */
import { InboxPage } from "../page/inbox.tsx";
import type { Entry } from "./route.ts";
import { frameOf, html, type Site } from "./site.ts";

export function inboxRoutes(site: Site): readonly Entry[] {
  return [
    {
      method: "GET",
      path: "/",
      who: "reviewer",
      async handle({ session, url }) {
        const cursor = url.searchParams.get("cursor") ?? undefined;
        const { items, nextCursor } = await site.engine.reviewing.inbox(session, { cursor });
        return html(
          200,
          InboxPage({ frame: frameOf(site, session), items, nextCursor, further: cursor !== undefined }),
        );
      },
    },
  ];
}
