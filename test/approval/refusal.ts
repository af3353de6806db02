import { ApprovalError } from "../../src/approval/errors.ts";

/** The code and path of the error that `act` throws; fails when it throws nothing, or anything else. */
export function refusalOf(act: () => unknown): { code: string; path: string | undefined; message: string } {
  try {
    act();
  } catch (error) {
    if (error instanceof ApprovalError) return { code: error.code, path: error.path, message: error.message };
    throw error;
  }
  throw new Error("nothing was refused");
}
