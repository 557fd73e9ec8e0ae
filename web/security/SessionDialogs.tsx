import { lazy, Suspense } from 'react'
import { loadChunk } from '../shared/api/load-chunk.ts'
import { signInAgain, stepUp } from '../shared/api/questions.ts'
import { ChunkBoundary } from '../shared/components/ChunkBoundary.tsx'
import { FailedDialog } from '../shared/components/FailedDialog.tsx'

const StepUpDialog = lazy(async () => {
  const chunk = await loadChunk(() => import('./StepUpDialog.tsx'))
  return { default: chunk.StepUpDialog }
})

const SignInAgainDialog = lazy(async () => {
  const chunk = await loadChunk(() => import('./SignInAgainDialog.tsx'))
  return { default: chunk.SignInAgainDialog }
})

/**
 * Dialogs that open over any page: one for step-up, and one for a session that has ended. If the code of a dialog could
 * not be loaded, Cancel answers its question, because the action waits for an answer.
 */
export function SessionDialogs() {
  const finishStepUp = stepUp.usePending()
  const finishSignIn = signInAgain.usePending()
  return (
    <Suspense fallback={null}>
      {finishStepUp && (
        <ChunkBoundary fallback={<FailedDialog cancelLabel="Cancel" onCancel={() => finishStepUp(false)} />}>
          <StepUpDialog finish={finishStepUp} />
        </ChunkBoundary>
      )}
      {finishSignIn && (
        <ChunkBoundary
          fallback={<FailedDialog isOpaque cancelLabel="Leave this page" onCancel={() => finishSignIn(false)} />}
        >
          <SignInAgainDialog finish={finishSignIn} />
        </ChunkBoundary>
      )}
    </Suspense>
  )
}
