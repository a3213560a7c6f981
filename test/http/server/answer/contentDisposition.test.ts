import { expect, it } from 'vitest';
import { formatAttachment } from '../../../../src/http/server/answer/answer.ts';

it.each([
  ['worker-0.iso', 'attachment; filename="worker-0.iso"'],
  ['a b;c.iso', 'attachment; filename="a b;c.iso"'],
  [String.raw`a"b\c`, String.raw`attachment; filename="a\"b\\c"`],
  ['zwölf €.iso', `attachment; filename="zw_lf _.iso"; filename*=UTF-8''zw%C3%B6lf%20%E2%82%AC.iso`],
  [
    'a\r\nSet-Cookie: x',
    `attachment; filename="a__Set-Cookie: x"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x`,
  ],
  ['💿', `attachment; filename="_"; filename*=UTF-8''%F0%9F%92%BF`],
])('the attachment %j', (name, expected) => {
  expect(formatAttachment(name)).toBe(expected);
});
