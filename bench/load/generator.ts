// The generator is a process of its own, so that it shares no event loop with what it measures or with its sibling.
import { Load } from './load.ts'
import type { LoadPlan } from './plan.ts'

process.once('message', async (plan: LoadPlan) => {
  const result = await new Load(plan).run()
  process.send?.(result, () => process.exit())
})
