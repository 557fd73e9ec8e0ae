import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import { pino } from 'pino'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { createRateLimits } from '../../../core/limits/rate-limits.ts'
import type { PrivateKey } from '../../tokens/private-keys.ts'
import { rotateSigningKey } from '../../tokens/rotate-signing-key.ts'
import { createSigningKeys } from '../../tokens/signing-keys.ts'
import { createPlainPages } from './plain-pages.ts'
import { createProviders } from './provider.ts'

const PAGES = createPlainPages(String)

onEachDatabase('provider', (service, engine) => {
  test('The failure of an older provider, which comes late, does not replace the newer one', async () => {
    const { context } = service()
    const keys = createSigningKeys(context)
    const begun = Promise.withResolvers<void>()
    const slow = Promise.withResolvers<PrivateKey[]>()
    const first = () => {
      begun.resolve()
      return slow.promise
    }
    const lists = [first]
    const listPrivateKeys = () => (lists.shift() ?? keys.listPrivateKeys)()
    const providers = createProviders(context, { ...keys, listPrivateKeys }, PAGES, createRateLimits(context))
    const older = providers.getProvider()
    await begun.promise
    await rotateSigningKey(context)
    const newer = await providers.getProvider()
    slow.reject(new Error('the database is away'))
    await assert.rejects(older, /the database is away/)
    assert.equal(await providers.getProvider(), newer)
  })

  test('getProvider imports the library again after a failed import', async (t) => {
    const { context } = service()
    const providers = createProviders(context, createSigningKeys(context), PAGES, createRateLimits(context))
    const hooks = registerHooks({
      resolve(specifier, parent, next) {
        if (specifier === 'oidc-provider') throw new Error('too many open files')
        return next(specifier, parent)
      },
    })
    t.after(() => hooks.deregister())
    await assert.rejects(providers.getProvider(), /too many open files/)
    hooks.deregister()
    assert.ok((await providers.getProvider()).provider)
  })

  test('A warning that the library prints when it is imported is a line of the log', async (t) => {
    const lines: { level: number; msg: string }[] = []
    const log = pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) })
    const context = { ...service().context, log }
    const warning = `no long-term support for ${engine}`
    const library = `data:text/javascript,console.warn('${warning}'); throw new Error('no library')`
    const hooks = registerHooks({
      resolve: (specifier, parent, next) => next(specifier === 'oidc-provider' ? library : specifier, parent),
    })
    t.after(() => hooks.deregister())
    const { warn } = console
    const providers = createProviders(context, createSigningKeys(context), PAGES, createRateLimits(context))
    await assert.rejects(providers.getProvider(), /no library/)
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [[log.levels.values.debug, warning]],
    )
    assert.equal(console.warn, warn)
  })
})
