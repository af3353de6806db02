import { forEachDatabase } from "../support/databases.ts";
import { describeDatabase } from "./contract.ts";

forEachDatabase("a database", (_open, databases) => describeDatabase(databases));
