// Sorts the rows of a table by one of its columns.

export const __version__ = "1.0.0";
export const __tool_type__ = "script";
export const __executor_id__ = "rye/core/runtimes/node/node";
export const __category__ = "data";
export const __tool_description__ = "Sorts rows, which are objects, by one of their keys";

const ORDERS = ["ascending", "descending"] as const;

export const CONFIG_SCHEMA = {
  type: "object",
  properties: {
    rows: { type: "array", description: "The rows", items: { type: "object" }, maxItems: 10000 },
    key: { type: "string", description: "The key to sort by", minLength: 1 },
    order: { type: "string", description: "Which way", enum: [...ORDERS], default: "ascending" },
  },
  required: ["rows", "key"],
  additionalProperties: false,
};

type Row = Record<string, unknown>;

interface Params {
  rows: Row[];
  key: string;
  order: (typeof ORDERS)[number];
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en");
}

export default function main(params: Params): { success: boolean; data?: Row[]; error?: string } {
  const missing = params.rows.findIndex((row) => !(params.key in row));
  if (missing >= 0) {
    return { success: false, error: `row ${missing} has no \`${params.key}\`` };
  }
  const sign = params.order === "descending" ? -1 : 1;
  const rows = [...params.rows].sort((a, b) => sign * compare(a[params.key], b[params.key]));
  return { success: true, data: rows };
}
