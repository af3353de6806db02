/** Figures, and the table that they are printed in. */

export interface Measured {
  readonly what: string;
  readonly value: number;
  /** The most that is allowed; undefined for a figure that is only told. */
  readonly allowed?: number;
  /** `×` for a ratio. */
  readonly unit: "×" | "ms" | "KB" | "/s";
  /** What stands behind the figure. */
  readonly detail: string;
}

/** @param share 0.5 for the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error("there is nothing to take a quantile of");
  return value;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The median of the ratios of each round, since rounds differ more than servers do. */
export function ratio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

export function verdict({ value, allowed }: Measured): "ok" | "over" | "" {
  if (allowed === undefined) return "";
  return value <= allowed ? "ok" : "over";
}

export function table(measured: readonly Measured[]): string {
  const rows = measured.map((each) => [
    each.what,
    figure(each.value, each.unit),
    each.allowed === undefined ? "" : `≤ ${figure(each.allowed, each.unit)}`,
    verdict(each),
    each.detail,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function figure(value: number, unit: Measured["unit"]): string {
  const digits = unit === "/s" ? 0 : unit === "KB" ? 1 : 2;
  return unit === "×" ? `${value.toFixed(digits)} ×` : `${value.toFixed(digits)} ${unit}`;
}
