import { lazy, Suspense } from 'react'
import { loadChunk } from '../shared/api/load-chunk.ts'
import { signInAgain, stepUp } from '../shared/api/questions.ts'
import { ChunkBoundary } from '../shared/components/ChunkBoundary.tsx'

const StepUpDialog = lazy(async () => {
  const chunk = await loadChunk(() => import('./StepUpDialog.tsx'))
  return { default: chunk.StepUpDialog }
})

const SignInAgainDialog = lazy(async () => {
  const chunk = await loadChunk(() => import('./SignInAgainDialog.tsx'))
  return { default: chunk.SignInAgainDialog }
})

/** Dialogs that open over any page: the one of step-up, and the one of a session that has ended. */
export function SessionDialogs() {
  const finishStepUp = stepUp.usePending()
  const finishSignIn = signInAgain.usePending()
  return (
    <ChunkBoundary>
      <Suspense fallback={null}>
        {finishStepUp && <StepUpDialog finish={finishStepUp} />}
        {finishSignIn && <SignInAgainDialog finish={finishSignIn} />}
      </Suspense>
    </ChunkBoundary>
  )
}
