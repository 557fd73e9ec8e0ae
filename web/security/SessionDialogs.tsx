import { Suspense } from 'react'
import { signInAgain, stepUp } from '../shared/api/questions.ts'
import { ChunkBoundary } from '../shared/components/ChunkBoundary.tsx'
import { lazyComponent } from '../shared/components/chunk-component.ts'
import { FailedDialog } from '../shared/components/FailedDialog.tsx'

const StepUpDialog = lazyComponent(async () => (await import('./StepUpDialog.tsx')).StepUpDialog)

const SignInAgainDialog = lazyComponent(async () => (await import('./SignInAgainDialog.tsx')).SignInAgainDialog)

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
