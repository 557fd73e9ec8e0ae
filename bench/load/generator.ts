// The generator runs in its own process, so that it shares no event loop with a server or another generator.
import { Load } from './load.ts'
import type { LoadPlan } from './plan.ts'

process.once('message', async (plan: LoadPlan) => {
  const result = await new Load(plan).run()
  process.send?.(result, () => process.exit())
})
