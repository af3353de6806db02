/** A new password: piped in, or asked twice without showing it. */
import { isCancel, password } from "@clack/prompts";
import { UsageError } from "./failure.ts";

/** More than any password may be long; a wrong file on stdin is noticed before it is read whole. */
const LIMIT_BYTES = 16_384;

export async function readNewPassword(fromStdin: boolean): Promise<string> {
  if (fromStdin) return readStdin();
  if (!process.stdin.isTTY)
    throw new UsageError("There is no terminal to ask for the password. Pipe it in with --password-stdin.");
  return askTwice();
}

/** Everything on stdin without the line end that `echo` adds. */
async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of process.stdin) {
    parts.push(part as Buffer);
    size += (part as Buffer).length;
    if (size > LIMIT_BYTES) throw new UsageError("What came on stdin is too long to be a password.");
  }
  const text = Buffer.concat(parts)
    .toString("utf8")
    .replace(/\r?\n$/, "");
  if (text === "")
    throw new UsageError(
      "Nothing came on stdin. Pipe the password in: printf %s PASSWORD | countersign reviewer add NAME --password-stdin",
    );
  return text;
}

/** @throws UsageError when the person gives up. */
export async function askTwice(): Promise<string> {
  for (;;) {
    const first = await password({ message: "Password (at least 8 characters)", mask: "•" });
    if (isCancel(first)) throw new UsageError("Canceled; nothing was changed.");
    const second = await password({ message: "The same password again", mask: "•" });
    if (isCancel(second)) throw new UsageError("Canceled; nothing was changed.");
    if (first === second) return first;
    process.stderr.write("The two are not the same. Once more.\n");
  }
}
