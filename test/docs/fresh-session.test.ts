import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { accessRuleOf } from '../../server/core/access/access-rules.ts'
import type { DeclaredRoute } from '../../server/core/access/declared-routes.ts'
import { listDeclaredErrors } from '../../server/features/openapi/declared-errors.ts'
import { errorCodesIn } from '../../server/platform/http/schemas.ts'
import { startService } from '../support/service.ts'

const ACCOUNTS = join(import.meta.dirname, '../../docs/accounts.md')

interface Requirement {
  call: string
  isAlwaysFresh: boolean
  needsSecondStep: boolean
}

test('docs/accounts.md names each call that needs a fresh session, whether always, and whether the second step too', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  assert.deepEqual(listDocumented().toSorted(byCall), service.routes.flatMap(toRequirement).toSorted(byCall))
})

function listDocumented(): Requirement[] {
  const [, section = ''] = /^### Fresh session\n(.*?)^### /ms.exec(readFileSync(ACCOUNTS, 'utf8')) ?? []
  return [...section.matchAll(/^\| (`.*?) \|(.*?)\|(.*?)\|$/gm)].flatMap(
    ([, calls = '', fresh = '', secondStep = '']) =>
      [...calls.matchAll(/`(.*?)`/g)].map(([, call = '']) => ({
        call,
        isAlwaysFresh: fresh.startsWith(' always'),
        needsSecondStep: secondStep.trim() !== '',
      })),
  )
}

function toRequirement(route: DeclaredRoute): Requirement[] {
  const { method, url, access, schema } = route
  const errors = [...listDeclaredErrors(route, method), ...errorCodesIn(schema?.response)]
  if (method === 'HEAD' || !errors.includes('SESSION_NOT_FRESH')) return []
  return [
    {
      call: url.replace('/api/auth/', ''),
      isAlwaysFresh: accessRuleOf(access).fresh,
      needsSecondStep: errors.includes('TWO_FACTOR_REQUIRED'),
    },
  ]
}

function byCall({ call: one }: Requirement, { call: other }: Requirement): number {
  return one < other ? -1 : Number(one > other)
}
