import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SECRET } from '../../../test/support/config-problems.ts'
import { readConfig } from '../../platform/config/config.ts'
import { networksOf } from '../../platform/http/client-address.ts'
import {
  accountBudget,
  changeBudgets,
  deviceBudget,
  invitationBudgets,
  mailBudgets,
  passwordNetworkBudgets,
  refreshBudgets,
  secretBudgets,
  sessionBudget,
  userCodeBudget,
} from './limits.ts'
import { listThrottleLimits } from './throttles.ts'

const MINUTE = 60_000

test('Each limit counts within the time that its setting names, and an IPv6 /48 has three times the limit of a network', () => {
  const { limits } = readConfig({
    SECRET,
    ACCOUNT_GUESSES_PER_15_MINUTES: '10',
    NETWORK_GUESSES_PER_5_MINUTES: '20',
    NETWORK_EMAIL_REQUESTS_PER_5_MINUTES: '30',
    NETWORK_CHANGES_PER_MINUTE: '40',
    USER_CHANGES_PER_MINUTE: '50',
    ORGANIZATION_INVITATIONS_PER_DAY: '60',
  })
  const from = networksOf('2001:db8::1')
  const budgets = {
    account: [accountBudget(limits, 'hash')],
    device: [deviceBudget(limits, 'usr_1', 1)],
    session: [sessionBudget(limits, 'ses_1')],
    passwords: passwordNetworkBudgets(limits, from),
    secrets: secretBudgets(limits, '/api/token', from),
    'codes of devices of a user': [userCodeBudget(limits, 'usr_1')],
    'emails of a network': mailBudgets(limits, '/api/auth/send-verification-email', from),
    'emails of a user': mailBudgets(limits, '/api/auth/send-verification-email', 'usr_1'),
    'changes of a network': changeBudgets(limits, from),
    'changes of a user': changeBudgets(limits, 'usr_1'),
    'refreshes of a user': refreshBudgets(limits, 'usr_1'),
    'invitations of a user': invitationBudgets(limits, 'usr_1'),
  }
  const inMinutes = Object.entries(budgets).map(([name, list]) => [
    name,
    list.map(({ limit, windowMilliseconds }) => `${limit} in ${windowMilliseconds / MINUTE} min`),
  ])
  assert.deepEqual(Object.fromEntries(inMinutes), {
    account: ['10 in 15 min'],
    device: ['10 in 15 min'],
    session: ['10 in 15 min'],
    passwords: ['20 in 5 min', '60 in 5 min'],
    secrets: ['20 in 5 min', '60 in 5 min'],
    'codes of devices of a user': ['10 in 15 min'],
    'emails of a network': ['30 in 5 min', '90 in 5 min'],
    'emails of a user': ['30 in 5 min'],
    'changes of a network': ['40 in 1 min', '120 in 1 min'],
    'changes of a user': ['50 in 1 min'],
    'refreshes of a user': ['50 in 1 min'],
    'invitations of a user': ['300 in 1440 min'],
  })
  for (const budget of Object.values(budgets).flat()) {
    const isOfKey = (pattern: string) => new RegExp(`^${pattern.replaceAll('%', '.*')}$`).test(budget.key)
    const { limit, windowMilliseconds } = listThrottleLimits(limits).find(({ pattern }) => isOfKey(pattern)) ?? {}
    assert.deepEqual({ key: budget.key, limit, windowMilliseconds }, budget)
  }
})
