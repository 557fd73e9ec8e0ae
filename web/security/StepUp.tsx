import { lazy, Suspense } from 'react'
import { loadChunk } from '../shared/api/load-chunk.ts'
import { useStepUp } from '../shared/api/step-up.ts'
import { ChunkBoundary } from '../shared/components/ChunkBoundary.tsx'

const StepUpDialog = lazy(async () => {
  const chunk = await loadChunk(() => import('./StepUpDialog.tsx'))
  return { default: chunk.StepUpDialog }
})

/** Opens over any page when an endpoint requires a fresh session. */
export function StepUp() {
  const finish = useStepUp()
  if (finish === null) return null
  return (
    <ChunkBoundary>
      <Suspense fallback={null}>
        <StepUpDialog finish={finish} />
      </Suspense>
    </ChunkBoundary>
  )
}
