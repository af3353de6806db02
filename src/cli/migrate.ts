/** `countersign migrate`: brings the database to this program's shape, before a server does it at its start. */
import { MIGRATIONS } from "../store/migrations.ts";
import { migrate as takeSteps, schemaVersion } from "../store/migrate.ts";
import { connectDatabase } from "../store/open.ts";
import { command } from "./command.ts";
import { prepareDataFolder, tightenDatabase } from "./data_folder.ts";
import { printJson, printWords } from "./output.ts";
import { loadConfig } from "./settings.ts";

export const migrate = command({
  name: "migrate",
  description: "Bring the database to the shape this version needs",
  async run(args, flags) {
    const config = loadConfig(flags);
    if (config.database.kind === "sqlite") prepareDataFolder(config.dataDir);
    tightenDatabase(config.database);
    await using database = await connectDatabase(config.database);
    const from = await schemaVersion(database);
    const taken = (await takeSteps(database, MIGRATIONS)).map(({ version, name }) => ({ version, name }));
    const to = await schemaVersion(database);
    if (args["json"]) return printJson({ from, to, steps: taken });
    if (taken.length === 0) printWords(`The database is up to date (version ${to}).`);
    else printWords(...taken.map((step) => `${step.version}  ${step.name}`), `The database is at version ${to} now.`);
  },
});
