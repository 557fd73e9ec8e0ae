import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { listMisspelt, SETTING_NAMES } from './setting-names.ts'

test('A misspelt setting is named with the right one', () => {
  for (const [name, meant] of [
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABAES_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['SMTPURL', 'SMTP_URL'],
    ['SMPT_URL', 'SMTP_URL'],
    ['RETURN_TO_ORIGIN', 'RETURN_TO_ORIGINS'],
    ['BASE_URI', 'BASE_URL'],
    ['BRAND_NMAE', 'BRAND_NAME'],
    ['BRANDS_NAME', 'BRAND_NAME'],
    ['PRIVACI_URL', 'PRIVACY_URL'],
    ['PRIVCAY_URL', 'PRIVACY_URL'],
    ['PRIVAC_URL', 'PRIVACY_URL'],
    ['ORGANISATION_CREATION', 'ORGANIZATION_CREATION'],
    ['SECRETS', 'SECRET'],
    ['RP_IDS', 'RP_ID'],
  ] as const)
    assert.deepEqual(listMisspelt({ [name]: 'x' }), [
      `${name} is no setting. Did you mean ${meant}? Rename it, or remove it.`,
    ])
})

test('Variables of other programs, and a similar one beside the right one, are no problem', () => {
  const ofSystem =
    'PATH HOME HOSTNAME USER LANG SHELL POST HTTP_URL FTP_URL MAIL LOGNAME NODE_ENV PGHOST SERVICE WORKER TRUST PR_ID'
  const ofBuilds = 'BRANCH_NAME PRIVATE_URL PRIMARY_URL PASSWORD_MAX_LENGTH DATABASE_SSL METRICS_HOST'
  const others = `${ofSystem} ${ofBuilds}`.split(' ')
  assert.deepEqual(listMisspelt(Object.fromEntries(others.map((name) => [name, 'x']))), [])
  assert.deepEqual(listMisspelt({ BASE_URI: 'x', BASE_URL: 'x' }), [])
})

test('docs/operations.md explains every setting, and no other', () => {
  const document = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const [, table = ''] = document.split('## Settings')
  const rows = table.split('\n## ')[0]?.match(/^\| `.*?\|/gm) ?? []
  const names = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  assert.deepEqual(names.toSorted(), SETTING_NAMES.toSorted())
})
