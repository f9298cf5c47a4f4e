// Makes the part of an address out of a title.

export const __version__ = "1.0.0";
export const __tool_type__ = "script";
export const __executor_id__ = "rye/core/runtimes/node/node";
export const __category__ = "text";
export const __tool_description__ = "Makes a slug out of a title: letters, digits and hyphens";
export const __tags__ = ["text", "url"];

export const CONFIG_SCHEMA = {
  type: "object",
  properties: {
    title: { type: "string", description: "The title", minLength: 1 },
    max_length: { type: "integer", description: "The longest slug", default: 60, minimum: 1, maximum: 200 },
  },
  required: ["title"],
  additionalProperties: false,
};

export default function main(params) {
  const slug = params.title
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, params.max_length)
    .replace(/^-+|-+$/g, "");
  if (!slug) {
    return { success: false, error: "the title has neither a letter nor a digit" };
  }
  return { success: true, output: slug };
}
