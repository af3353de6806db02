/** Bytes on a socket that no client of ours sends: each gets an answer, none fills the log, the memory or the sockets. */
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startTestServer } from "../support/server.ts";

const sockets: Socket[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const socket of sockets.splice(0)) socket.destroy();
});

interface Talk {
  readonly socket: Socket;
  /** The first line of the answer. */
  readonly answer: Promise<string>;
}

function talk(url: string, text: string): Talk {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  sockets.push(socket);
  const answer = new Promise<string>((resolve) => {
    socket.once("data", (data) => resolve(data.toString().split("\r\n")[0]!));
    socket.once("close", () => resolve("closed"));
    socket.on("error", () => resolve("closed"));
  });
  socket.write(text);
  return { socket, answer };
}

const head = (line: string, host: string, ...more: string[]) =>
  `${[line, ...(host === "" ? [] : [`Host: ${host}`]), ...more].join("\r\n")}\r\n\r\n`;

describe("a request target that makes no URL", () => {
  test.each([
    ["an absolute form without a host", "GET http://[/signin HTTP/1.1"],
    ["another scheme", "GET ftp://localhost/signin HTTP/1.1"],
    ["an asterisk", "OPTIONS * HTTP/1.1"],
    ["a backslash", "GET /\\evil.example HTTP/1.1"],
  ])("%s is answered 400, not left open and not logged as a fault of ours", async (_, line) => {
    await using server = await startTestServer();
    const logged = vi.spyOn(process.stderr, "write");
    const { host } = new URL(server.url);
    expect(await talk(server.url, head(line, host)).answer).toBe("HTTP/1.1 400 Bad Request");
    expect(logged).not.toHaveBeenCalled();
  });

  test("HTTP/1.0 without a Host is answered 400", async () => {
    await using server = await startTestServer();
    expect(await talk(server.url, head("GET /healthz HTTP/1.0", "")).answer).toMatch(/^HTTP\/1\.[01] 400 /);
  });
});

describe("a body that nobody has a right to send", () => {
  const chunked = ["Content-Type: application/json", "Transfer-Encoding: chunked"];

  test("is not waited for at /mcp: without a good token the answer comes first, announced or not", async () => {
    await using server = await startTestServer();
    const { host } = new URL(server.url);
    for (const more of [chunked, ["Content-Type: application/json", "Content-Length: 1000"]])
      expect(await talk(server.url, `${head("POST /mcp HTTP/1.1", host, ...more)}5\r\nhello\r\n`).answer).toBe(
        "HTTP/1.1 401 Unauthorized",
      );
  });

  test("is not waited for on a reviewer's page: signed out, the way to sign in comes first", async () => {
    await using server = await startTestServer();
    const { host } = new URL(server.url);
    const form = [`Origin: ${server.url}`, "Content-Type: application/x-www-form-urlencoded", "Content-Length: 1000"];
    expect(await talk(server.url, `${head("POST /review?x HTTP/1.1", host, ...form)}hello`).answer).toBe(
      "HTTP/1.1 303 See Other",
    );
  });

  test("is held to 64 KiB where anybody may post", async () => {
    await using server = await startTestServer();
    for (const [size, status] of [
      [60_000, 403],
      [70_000, 413],
    ] as const) {
      const body = `name=Anna&password=${"x".repeat(size)}`;
      const headers = { origin: server.url, "content-type": "application/x-www-form-urlencoded" };
      expect((await fetch(`${server.url}/signin`, { method: "POST", headers, body })).status).toBe(status);
    }
  });

  test("broken off in the middle is no fault of ours", async () => {
    await using server = await startTestServer();
    const logged = vi.spyOn(process.stderr, "write");
    const { host } = new URL(server.url);
    const token = await server.agent();
    const form = [`Origin: ${server.url}`, "Content-Type: application/x-www-form-urlencoded", "Content-Length: 1000"];
    for (const text of [
      `${head("POST /signin HTTP/1.1", host, ...form)}hello`,
      `${head("POST /mcp HTTP/1.1", host, `Authorization: Bearer ${token}`, ...chunked)}5\r\nhello\r\n`,
    ]) {
      const { socket, answer } = talk(server.url, text);
      // The server has begun to read once it answers something else that was sent later.
      await fetch(`${server.url}/readyz`);
      socket.destroy();
      await answer;
    }
    await fetch(`${server.url}/readyz`);
    await fetch(`${server.url}/readyz`);
    expect(logged).not.toHaveBeenCalled();
  });
});
