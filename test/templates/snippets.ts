const variables = {
  user: { role: 'user', content: 'Hi', tool_calls: [], nested: { b: 1, a: [1, 2.5, true, null, 'x'] } },
  users: [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two', tool_calls: [{ id: 'a' }] },
    { role: 'user', content: 'one' },
  ],
  text: '  \n Hello, World \t\n',
  wide: 'naïve 😀 東京',
  nothing: null,
  hollow: { a: null, list: [null, 1] },
  empty: [],
  emptyMap: {},
  numbers: [3, 1, 2],
  half: 2.5,
};

const expressions = `
not empty ~ '|' ~ (not emptyMap) ~ '|' ~ (not nothing) ~ '|' ~ (not 0) ~ '|' ~ (not '')
nothing
[nothing, true, 1, 2.0, 'a', "it's", 'say "x"']
user
(1, 'a')
user.nested | tojson
user.nested | tojson(indent=2)
user | tojson(indent=4)
empty | tojson(indent=2)
wide | tojson
wide | tojson(ensure_ascii=true)
user.nested | tojson(sort_keys=true, separators=(',', ':'))
'a<b>&\\'c"' | tojson
missing | tojson
missing
missing.attribute
missing['key']
user.missing.deeper
nothing.attribute
nothing['key']
user.missing is defined
user['missing'] is defined
user.items is callable
user.items() | list
user['items'] is defined
users[0] == users[2]
users[0] == users[1]
users[0] in users
'user' in user
'x' in missing
'x' in nothing
1 in [1, 2]
'1' == 1
1 == 1.0
true == 1
none == missing
'a' + 1
'a' + nothing
'a' ~ 1 ~ nothing ~ true
'a' * 3
[1] * 2
[1] + [2]
7 // 2 ~ ' ' ~ (-7 // 2) ~ ' ' ~ (7 % 3) ~ ' ' ~ (-7 % 3) ~ ' ' ~ 7 / 2 ~ ' ' ~ 2 ** 3
1 / 0
1.0 ~ ' ' ~ 0.1
0.00001 ~ ' ' ~ 100000000000000000.0
'%s and %d and %.2f' % ('x', 3, half)
'%s' | format('x')
text.strip()
text.lstrip()
text.rstrip() ~ '|'
text | trim
'xxabcxx'.strip('x') ~ 'xxabcxx'.lstrip('x') ~ 'xxabcxx'.rstrip('x')
'\\n\\nabc  '.strip('\\n') ~ '|'
'aXbXc'.split('X')
'aXbXc'.split('X', 1)
'aXbXc'.rsplit('X', 1)
' a  b c '.split()
' a  b c '.split(none, 1)
' a  b c '.rsplit(none, 1)
''.split('x')
'abc'.split('')
'a-b'.partition('-')
'a-b-c'.rpartition('-')
'abc'.startswith('a') ~ 'abc'.endswith(('x', 'c'))
'abc'.find('c') ~ 'abc'.find('x') ~ wide.find('東')
wide | length
wide[6]
wide[-1]
wide[::-1]
'hello world'.title() ~ ('hello-world foo' | title) ~ ("it's" | title) ~ "it's".title()
'hELLO'.capitalize() ~ ('hELLO wORLD' | capitalize)
'Abc'.swapcase() ~ 'Abc'.upper() ~ 'Abc'.lower()
'abc'.replace('b', 'X') ~ ('abab' | replace('a', 'c')) ~ 'aaa'.replace('a', 'b', 2)
'ab'.replace('', '-')
'12'.isdigit() ~ 'a1'.isalnum() ~ 'ab'.isalpha() ~ ' '.isspace() ~ 'A'.isupper()
'a\\nb\\r\\nc'.splitlines()
', '.join(['a', 'b'])
', '.join([1])
'prefix-x'.removeprefix('prefix-') ~ 'x.txt'.removesuffix('.txt')
'7'.zfill(3) ~ '-7'.zfill(3) ~ 'a'.center(5, '*') ~ 'a'.ljust(3) ~ '|'
'aXbX'.count('X')
'{} {name} {0}'.format('a', name='b')
'{0} {name}'.format('a', name='b')
numbers | sort
numbers | sort(reverse=true)
['b', 'A', 'c'] | sort
users | map(attribute='content') | list
users | map(attribute='missing', default='-') | list
['a', 'b'] | map('upper') | list
users | selectattr('role', 'equalto', 'user') | list | length
users | rejectattr('role', 'equalto', 'user') | map(attribute='content') | join(',')
users | selectattr('tool_calls', 'defined') | list | length
users | selectattr('tool_calls', 'undefined') | list | length
users | selectattr('tool_calls') | list | length
[1, 0, 2] | select | list
[1, 2, 3] | select('odd') | list
[1, 2, 3] | reject('gt', 2) | list
numbers | first ~ numbers | last
empty | first
numbers | sum ~ ' ' ~ numbers | max ~ ' ' ~ numbers | min
users | map(attribute='role') | unique | list
{'b': 1, 'a': 2} | dictsort
{'b': 1, 'a': 2} | items | list
{1: 'x', 'a': none}
numbers | join('-')
[1, none, true] | join(',')
users | join(',', attribute='role')
'abc' | list
user | list
'abc' | reverse
numbers | reverse | list
'abc' | first
missing | default('x') ~ nothing | default('y') ~ nothing | default('z', true)
missing | d('x')
missing | length
missing | trim ~ '|' ~ missing | string ~ '|' ~ missing | list
missing | upper
nothing | trim
nothing | string
true | string
nothing | length
5 | length
'12' | int ~ ' ' ~ 'x' | int ~ ' ' ~ '3.7' | int ~ ' ' ~ -3.7 | int ~ ' ' ~ 'x' | int(9)
'1.5' | float ~ ' ' ~ 'x' | float ~ ' ' ~ 2 | float
2.5 | round ~ ' ' ~ 3.5 | round ~ ' ' ~ 2.345 | round(2) ~ ' ' ~ 7 | round
-5 | abs
'a\\nb\\n\\nc' | indent
'a\\nb\\n\\nc' | indent(2, true, true)
'<a>' | e
'one two three' | wordcount
'one two three four' | truncate(10)
[1, 2, 3, 4, 5] | batch(2) | list
text is string ~ numbers is string
user is mapping ~ numbers is mapping
user is iterable ~ 'a' is iterable ~ 5 is iterable ~ missing is iterable ~ nothing is iterable
user is sequence ~ numbers is sequence
true is boolean ~ 1 is boolean ~ 1 is number ~ true is number ~ 1.0 is float ~ 1 is integer ~ true is integer
4 is divisibleby(2)
4 is divisibleby 2
4 is not divisibleby 3
'a' is in ['a', 'b']
'a' is not in ['a', 'b']
'a' is equalto 'a' and 'b' is eq('b')
nothing is sameas none
nothing is none and nothing is not defined
1 is lt 2
3 is odd and 4 is even
'abc' is lower ~ 'ABC' is upper ~ '1' is lower
numbers[1:] ~ numbers[:-1] ~ numbers[::-1] ~ numbers[-1] ~ numbers[5]
'abc'[:-1] ~ 'abc'[1] ~ 'abc'[9]
'yes' if numbers else 'no'
'yes' if empty
('yes' if empty) is defined
1 < 2 and 'a' < 'b' and [1, 2] < [1, 3]
'a' < 1
range(3) | list
range(1, 10, 3) | list
range(200000) | list
dict(a=1, b=2)
namespace(a=1).a
namespace(a=1).b is defined
raise_exception('Roles must alternate')
unknown_function()
user | nofilter
user is notest
numbers.append(4)
user.update({'a': 1})
user.get('role') ~ user.get('x') ~ user.get('x', 'd')
user.keys() | list
user.nested.values() | list
numbers.index(2) ~ numbers.count(2)
hollow.a is none ~ hollow['a'] is none ~ hollow.a is defined
hollow.list[0] is none ~ hollow.list | first ~ hollow.list[:1] | last
hollow.get('a', 'd')
missing | default(none)
'x' | int(none)
namespace(a=none).a is none
hollow.a ~ hollow.list
hollow.a.b is defined
hollow.a.b.c
'a' 'b'
-half ~ +half ~ -(1)
user.role.upper()
1 ~ 2 | string
(1 ~ 2) | string
users | length > 2 and users | length != 4
'a' not in 'abc'
not 'a' in 'abc'
`;

const templates = [
  '{% for m in users %}{% if loop.first %}{% set x = 1 %}{% endif %}[{{ x }}]{% endfor %}{{ x }}',
  '{% set x = 0 %}{% for m in users %}{% set x = x + 1 %}{{ x }}{% endfor %}{{ x }}',
  '{% set ns = namespace(n=0) %}{% for m in users %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}',
  '{% for m in users %}a{% if loop.index == 2 %}{% break %}{% endif %}b{% endfor %}',
  '{% for m in users %}a{% if loop.index == 2 %}{% continue %}{% endif %}b{% endfor %}',
  '{% for m in users %}{% continue %}{% else %}none{% endfor %}',
  '{% for m in users %}a{% break %}{% else %}none{% endfor %}',
  '{% for m in empty %}x{% else %}none{% endfor %}',
  '{% for k, v in user.nested.items() %}{{ k }}={{ v }};{% endfor %}',
  '{% for k in user.nested %}{{ k }};{% endfor %}',
  '{% for c in wide %}{{ c }}.{% endfor %}',
  '{% for m in users if m.role == "user" %}{{ loop.index }}/{{ loop.length }}{{ m.content }}{% endfor %}',
  '{% for m in users %}{{ loop.previtem is defined }}{{ loop.nextitem.role }}{{ loop.revindex }}{% if not loop.last %},{% endif %}{% endfor %}',
  '{% for m in users[:2] %}{{ loop.previtem is defined }}{{ loop.cycle("a", "b") }}{{ loop.changed(m.role) }}{% endfor %}',
  '{% for m in missing %}x{% else %}y{% endfor %}',
  '{% for m in nothing %}x{% endfor %}',
  '{% macro f(a, b="d") %}<{{ a }}{{ b }}{{ varargs }}{{ kwargs }}>{% endmacro %}{{ f(1) }}{{ f(1, 2) }}{{ f(b=3, a=4) }}{{ f(1, 2, 3, z=4) }}',
  '{% macro f() %}{{ x }}{% endmacro %}{% set x = 5 %}{{ f() }}{% for x in [7] %}{{ f() }}{% endfor %}',
  '{% macro f() %}({{ caller() }}){% endmacro %}{% call f() %}body{% endcall %}',
  '{% macro f() %}({{ caller(3) }}){% endmacro %}{% call(n) f() %}body{{ n }}{% endcall %}',
  '{% macro f(a, b=1) %}{{ a }}{{ b }}{% endmacro %}{{ f(none, none) }}{{ f() }}{{ f(b=none) }}',
  '{% for x in hollow.list %}{{ loop.previtem }}{{ loop.nextitem }}{% endfor %}',
  '{% set x = none %}{{ x is none }}{% for y in [1] %}{{ x is none }}{% endfor %}',
  '{% filter upper %}abc{{ user.role }}{% endfilter %}',
  '{% set x %}block {{ user.role }}{% endset %}{{ x }}|{{ x | length }}',
  '{% set x | upper %}block{% endset %}{{ x }}',
  '{% set a, b = 1, 2 %}{{ a }}{{ b }}',
  '{% set user.x = 1 %}',
  '  {% if true %}\n  a\n  {% endif %}\n  b\n',
  'x\n  {%- if true -%}\n  a\n  {%- endif %}\n\nb\n\n',
  '{# comment #}\na {#- c -#} b',
  '{{ "a" }}\n{{ "b" }}\n',
  'a\r\nb{% if true %}\r\nc{% endif %}',
  '{% if tools is defined %}d{% endif %}{% if not tools %}n{% endif %}',
  '{% generation %}abc{% endgeneration %}',
  '{{ "}}" }}{{ {"a": {"b": 1}} }}',
  '{% if users[0].content is string and "on" in users[0].content %}yes{% elif false %}no{% else %}else{% endif %}',
  '{% for a in [1,2] %}{% for b in [3,4] %}{{ loop.index }}{{ a }}{{ b }} {% endfor %}{{ loop.index }}{% endfor %}',
];

/** Small templates, each compared with what Python's jinja2 makes of it (or refuses). */
export const snippets = [
  ...expressions
    .trim()
    .split('\n')
    .map((expression) => `{{ ${expression.replaceAll('\\\\', '\\')} }}`),
  ...templates,
].map((snippet) => ({ snippet, variables }));
