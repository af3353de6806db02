/** JSON values and, once built, the checks on JSON source text. STUB: types only until built. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
