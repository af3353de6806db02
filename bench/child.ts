/** A server in a process of its own, spoken to over the channel that `fork` opens. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Ready {
  readonly mcp: string;
  readonly token: string;
  readonly url?: string;
  readonly cookie?: string;
}

export interface Child extends AsyncDisposable, Ready {
  /** CPU time that the whole process has used so far, user and system, in microseconds. */
  cpu(): Promise<number>;
  ask<T>(question: { readonly ask: string; readonly [key: string]: unknown }): Promise<T>;
}

/** @param file In this folder. */
export async function startChild(file: "bare_server.ts" | "our_server.ts"): Promise<Child> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: [],
  });
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  let asked = 0;
  const ready = new Promise<Ready>((resolve, reject) => {
    child.on("message", (message: { ready?: Ready; id?: number; answer?: unknown }) => {
      if (message.ready !== undefined) resolve(message.ready);
      else if (message.id !== undefined) waiting.get(message.id)?.resolve(message.answer);
    });
    child.on("exit", (code) => {
      const gone = new Error(`${file} ended with ${code}`);
      reject(gone);
      for (const { reject: fail } of waiting.values()) fail(gone);
    });
  });

  async function ask<T>(question: object): Promise<T> {
    const id = (asked += 1);
    const answered = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
    child.send({ ...question, id });
    return answered.finally(() => waiting.delete(id)) as Promise<T>;
  }

  return {
    ...(await ready),
    ask,
    async cpu() {
      const { user, system } = await ask<NodeJS.CpuUsage>({ ask: "cpu" });
      return user + system;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
    },
  };
}
