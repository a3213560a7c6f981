/** Resources and messages of BMCs: any JSON is read without an exception, and what is read is bounded. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMapping } from '../../src/formats/mapping.ts';
import { explainRefusal, isLicenseRefusal, isPassing, readMessages } from '../../src/redfish/messages.ts';
import {
  linksAt,
  readManager,
  readMediaSlot,
  readSecureBoot,
  readServiceRoot,
  readSystem,
  readTaskState,
  takesCds,
} from '../../src/redfish/resources.ts';

const keys = fc.constantFrom(
  'Boot',
  'Actions',
  'target',
  '@odata.id',
  'Members',
  'Links',
  'ManagedBy',
  'MediaTypes',
  'Image',
  'Inserted',
  'Oem',
  'error',
  '@Message.ExtendedInfo',
  'MessageId',
  'Message',
  'Messages',
  'TaskState',
  'SecureBootEnable',
  '__proto__',
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(null, true, 0, '', '/redfish/v1/Systems/1', '//evil.example.com/x', 'CD', 'On'),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 6 }),
  ),
})).value;

describe('any JSON', () => {
  it('is a resource without surprises', () => {
    fc.assert(
      fc.property(json, (value) => {
        const resource = { path: '/redfish/v1/Systems/1', body: isMapping(value) ? value : {} };
        const system = readSystem(resource);
        const slot = readMediaSlot(resource);
        const links = [
          system.media,
          system.reset,
          slot.insert,
          readManager(resource).media,
          readServiceRoot(resource).systems,
        ];
        expect(links.every((link) => link === undefined || /^\/(?!\/)/.test(link))).toBe(true);
        expect(linksAt(value, 'Members').length).toBeLessThanOrEqual(256);
        expect([true, false, undefined]).toContain(readSecureBoot(resource));
        expect(['running', 'failed', 'done', undefined]).toContain(readTaskState(resource));
        expect(typeof takesCds(slot)).toBe('boolean');
      }),
    );
  });

  it('has messages that are short and printable', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 200, max: 599 }), (value, status) => {
        const messages = readMessages(value, String);
        expect(messages.length).toBeLessThanOrEqual(16);
        const { hint, problem } = explainRefusal(status, messages);
        const text = `${problem} ${hint}`;
        expect(text.length).toBeLessThan(1000);
        expect(text).not.toMatch(/\p{Cc}/u);
        expect(typeof isPassing(status, messages)).toBe('boolean');
      }),
    );
  });
});

const extended = (id: string, text = '') => ({
  error: {
    code: 'Base.1.8.GeneralError',
    message: 'x',
    '@Message.ExtendedInfo': [{ MessageId: id, Message: text }],
  },
});

describe('messages', () => {
  it.each<[string, number, unknown, string]>([
    ['a license of iLO', 403, extended('iLO.2.14.LicenseKeyRequired'), 'no license'],
    [
      'a license of Supermicro',
      403,
      extended('SMC.1.0.OemLicenseNotPassed', 'Not licensed to perform this request.'),
      'no license',
    ],
    ['a session limit', 503, extended('Base.1.8.SessionLimitExceeded'), 'too many open sessions'],
    ['POST of iLO', 400, extended('iLO.2.14.UnableToModifyDuringSystemPOST'), 'the machine is in POST'],
    [
      'a protocol of XCC',
      400,
      extended('Base.1.8.SourceDoesNotSupportProtocol'),
      'the protocol of the image URL',
    ],
    [
      'an image that an iDRAC cannot mount',
      400,
      extended('IDRAC.2.5.RAC0720', 'Unable to mount remote share https://192.0.2.1/boot.iso.'),
      'the BMC cannot fetch the image (Unable to mount remote share https://192.0.2.1/boot.iso)',
    ],
    [
      'an image that an iDRAC does not reach',
      500,
      extended('IDRAC.2.8.RAC0904', 'The remote file location is not accessible or reachable.'),
      'cannot fetch the image',
    ],
    [
      'an image of an unknown host, as in the registry of DMTF',
      400,
      extended('Base.1.8.CouldNotEstablishConnection'),
      'cannot fetch the image',
    ],
    [
      'a URL without an image, as in the registry of DMTF',
      400,
      extended('Base.1.8.ResourceAtUriInUnknownFormat'),
      'cannot fetch the image',
    ],
    [
      'a certificate that the BMC rejects',
      400,
      extended('Base.1.8.GeneralError', 'SSL certificate problem: unable to get local issuer certificate'),
      'cannot fetch the image',
    ],
    [
      'an unreachable image',
      500,
      extended('Base.1.8.GeneralError', 'http://192.0.2.1:8084/live.iso is unreachable'),
      'cannot fetch the image',
    ],
    [
      'an image that sushy-tools cannot download',
      500,
      extended('Base.1.0.GeneralError', 'Failed fetching image from URL http://192.0.2.1/live.iso: refused'),
      'cannot fetch the image',
    ],
    ['a login that the BMC rejects', 401, extended('Base.1.8.NoValidSession'), 'rejects the user name'],
    [
      'a text next to a list without texts',
      500,
      {
        error: {
          code: 'Base.1.0.GeneralError',
          message: 'Out of disk',
          '@Message.ExtendedInfo': [{ MessageId: 'Base.1.0.GeneralError' }],
        },
      },
      'Out of disk',
    ],
    ['only a status', 405, {}, 'does not support this request'],
    [
      'an error without extended information',
      400,
      { error: { code: 'Base.1.0.X', message: 'It broke.' } },
      '400 (It broke)',
    ],
    [
      'success next to the cause',
      400,
      {
        error: {
          '@Message.ExtendedInfo': [
            { MessageId: 'Base.1.8.Success', Message: 'Successful' },
            { MessageId: 'IDRAC.2.5.SYS403', Message: 'Cannot read' },
          ],
        },
      },
      'Cannot read',
    ],
  ])('%s', (_, status, body, text) => {
    expect(explainRefusal(status, readMessages(body, String)).problem).toContain(text);
  });

  it('a license is no matter of waiting', () => {
    const messages = readMessages(extended('iLO.2.14.LicenseKeyRequired'), String);
    expect([isLicenseRefusal(messages), isPassing(403, messages)]).toEqual([true, false]);
  });
});
