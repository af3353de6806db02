/** The operator's commands: they open the same database beside the server for one short piece of work. */
import type { Flags } from "../config/given.ts";
import type { Operating } from "../engine/engine.ts";
import { openCountersign } from "../open.ts";
import { prepareDataFolder, requireData, tightenDatabase } from "./data_folder.ts";
import { readServerFile } from "./server_file.ts";
import { loadConfig, osUser } from "./settings.ts";

export interface Operated {
  readonly operating: Operating;
  /** Where reviewers and agents reach the server: as configured, as the running server says, or the default. */
  readonly url: string;
  /** False when the address is only assumed, because no server runs and no public URL is set. */
  readonly urlKnown: boolean;
}

/** @param data `make`: an empty store is made where there is none. `require`: that is refused. */
export async function operate<T>(
  flags: Flags,
  data: "make" | "require",
  use: (operated: Operated) => Promise<T>,
): Promise<T> {
  const config = loadConfig(flags);
  if (data === "require") requireData(config);
  const told = [
    ...(config.database.kind === "sqlite" ? prepareDataFolder(config.dataDir) : []),
    ...tightenDatabase(config.database),
  ];
  for (const sentence of told) process.stderr.write(`countersign: ${sentence}\n`);

  const known = config.publicUrl ?? readServerFile(config.dataDir)?.url;
  const url = known ?? `http://localhost:${config.port === 0 ? 4747 : config.port}`;
  await using opened = await openCountersign(config, { publicUrl: url });
  return await use({ operating: opened.engine.operating(osUser()), url, urlKnown: known !== undefined });
}
