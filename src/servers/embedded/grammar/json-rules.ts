/**
 * The rules of JSON itself. At most one space where JSON allows any number: small models otherwise generate endless
 * white space, which costs tokens. No halves of surrogate pairs: two of them count as one character.
 */
export const jsonRules = String.raw`
value ::= object | array | string | number | ("true" | "false") | "null"
object ::= "{" space (string colon value (comma string colon value)*)? space "}"
array ::= "[" space (value (comma value)*)? space "]"
string ::= "\x22" character* "\x22"
character ::= [^"\\\x7f\x00-\x1f] | "\\" (["\\/bfnrt] | "u" ([0-9abcefABCEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2}))
integer ::= "-"? ("0" | [1-9] [0-9]{0,15})
fraction ::= "." [0-9]{1,15}
number ::= integer fraction? ([eE] [+-]? [0-9]{1,2})?
colon ::= ":" space
comma ::= "," space
space ::= " "?`.trim();

/** A grammar of any JSON object. */
export const jsonObjectGrammar = `root ::= object\n${jsonRules}`;

const date = '[0-9]{4} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | [1] [0-9] | "2" [0-8])';
const time = '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9]';
const zone = '("Z" | [+-] ([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9])';
const octet = '("25" [0-5] | "2" [0-4] [0-9] | "1" [0-9] [0-9] | [1-9]? [0-9])';

/** The supported string formats. Days end with the 28th, which every month has. */
export const formats: Readonly<Record<string, string>> = {
  date,
  time: `${time} ${zone}`,
  'date-time': `${date} "T" ${time} ${zone}`,
  uuid: '[0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}',
  email: '[a-z0-9] [a-z0-9._]{0,30} [a-z0-9] "@" [a-z0-9] [a-z0-9-]{0,30} [a-z0-9] "." [a-z]{2,10}',
  ipv4: `${octet} "." ${octet} "." ${octet} "." ${octet}`,
};
