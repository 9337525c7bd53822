import { describe, expect, it } from 'vitest';
import { grantTest } from '../../src/domain/checks/grant-checks.ts';
import {
  auditGrants,
  covers,
  expiryOf,
  grantWarnings,
  isEnded,
  isExpired,
  isOlder,
  isRevoked,
  matches,
  oneMetric,
} from '../../src/domain/grants.ts';

const now = new Date('2024-01-31T10:00:00Z');

describe('expiryOf', () => {
  it.each([
    ['2026-12-31', '2026-12-31T23:59:59Z'],
    ['2026-12-31 (15 days)', '2026-12-31T23:59:59Z'],
    ['2026-12-31T08:00:00+01:00', '2026-12-31T08:00:00+01:00'],
    ['90d', '2024-04-30T10:00:00.000Z'],
    ['2w', '2024-02-14T10:00:00.000Z'],
    ['1m', '2024-02-29T10:00:00.000Z'],
    ['13m', '2025-02-28T10:00:00.000Z'],
    ['2m', '2024-03-31T10:00:00.000Z'],
    ['1Y', '2025-01-31T10:00:00.000Z'],
  ])('%s is %s', (text, at) => expect(expiryOf(text, now, '--expires')).toBe(at));

  it.each(['2026-02-30', '0d', '90', 'd', '-3d', 'soon', '', '99999y'])('refuses "%s"', (text) => {
    expect(() => expiryOf(text, now, '--expires')).toThrow('--expires');
  });
});

describe('grants', () => {
  it('has ended when it was revoked or is no longer active', () => {
    expect(isEnded({ status: 'active' })).toBe(false);
    expect(isEnded({})).toBe(false);
    expect(isEnded({ status: 'active', revoked_at: '2024-01-01T00:00:00Z' })).toBe(true);
    expect(isEnded({ status: 'withdrawn' })).toBe(true);
  });

  it('is revoked by either of the two fields, and not by its end', () => {
    expect([isRevoked({}), isRevoked({ status: 'expired' })]).toEqual([false, false]);
    expect([isRevoked({ status: 'revoked' }), isRevoked({ revoked_at: '2024-01-01T00:00:00Z' })]).toEqual([true, true]);
  });

  it('is asked for by one metric', () => {
    expect(oneMetric(' mrr ', '--metric')).toBe('mrr');
    for (const text of ['', ' ', 'mrr,arr']) expect(() => oneMetric(text, '--metric')).toThrow('the id of one metric');
  });

  it('expires at its time', () => {
    expect(isExpired({ expires_at: '2024-01-31T10:00:00Z' }, now)).toBe(true);
    expect(isExpired({ expires_at: '2024-01-31T10:00:01Z' }, now)).toBe(false);
    expect(isExpired({ status: 'expired' }, now)).toBe(true);
    expect(isExpired({}, now)).toBe(false);
  });

  it('covers what it names, and everything when it names nothing', () => {
    expect(covers({ metric_ids: ['mrr'] }, 'arr')).toBe(false);
    expect(covers({ metric_ids: ['mrr', 'arr'] }, 'arr')).toBe(true);
    expect(covers({ metric_ids: [] }, 'arr')).toBe(true);
    expect(covers({}, 'arr')).toBe(true);
  });

  it('matches all of a filter', () => {
    const grant = {
      status: 'active',
      recipient_user_id: 'ABC',
      metric_ids: ['mrr'],
      expires_at: '2023-01-01T00:00:00Z',
    };
    expect(matches(grant, {}, now)).toBe(true);
    expect(matches(grant, { status: 'active', recipient: 'abc', metric: 'mrr', expired: true }, now)).toBe(true);
    expect(matches(grant, { status: 'revoked' }, now)).toBe(false);
    expect(matches(grant, { recipient: 'abd' }, now)).toBe(false);
    expect(matches(grant, { metric: 'arr' }, now)).toBe(false);
    const { expires_at: _, ...open } = grant;
    expect(matches(open, { expired: true }, now)).toBe(false);
  });

  it('warns of odd grants', () => {
    expect(grantWarnings({ recipient_user_id: 'a' }, now)).toEqual([]);
    const past = { recipient_company_id: 'a', expires_at: now.toISOString() };
    expect(grantWarnings(past, now)).toEqual([
      `the grant has already expired: ${past.expires_at.slice(0, 16).replace('T', ' ')}`,
    ]);
    expect(grantWarnings({ ...past, expires_at: '2024-01-31T10:00:01Z' }, now)).toEqual([]);
    expect(grantWarnings({}, now)).toEqual(['the grant names no recipient']);
  });
});

describe('an expiry as databases and languages write it', () => {
  const at = new Date('2026-03-05T12:00:00Z');
  it.each([
    '2026-03-05 11:59:59+00',
    '20260305T115959Z',
    '2026-03-05T13:59:59,9+0200',
    '2026-03-05T11:59',
    '2026-03-04',
  ])('%s is over', (expires_at) => {
    expect(isExpired({ status: 'active', expires_at }, at)).toBe(true);
  });

  it.each(['2026-03-05 12:00:01+00', '20260305T120001Z', '2026-03-05T12:30+00', '2026-03-05'])('%s is not', (text) => {
    expect(isExpired({ status: 'active', expires_at: text }, at)).toBe(false);
  });

  it('that cannot be read decides nothing', () => {
    const grant = { id: 'g', status: 'active', expires_at: 'next spring', created_at: '31/01/2026' };
    const says = /of the grant g is ".*", which cannot be read as a time/;
    const audit = () => auditGrants({ grants: [grant], catalog: [], now: at, soon: at });
    const check = () => grantTest('none_expired_active')({ grants: [grant], now: at, cap: 5 });
    for (const decide of [() => isExpired(grant, at), () => isOlder(grant, at), audit, check]) {
      expect(decide).toThrow(expect.objectContaining({ kind: 'rejected', message: expect.stringMatching(says) }));
    }
  });
});
