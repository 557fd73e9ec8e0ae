import { lazy, Suspense } from 'react'
import { loadChunk } from '../shared/api/load-chunk.ts'
import { signInAgain, stepUp } from '../shared/api/questions.ts'
import { ChunkBoundary, FAILED_CHUNK } from '../shared/components/ChunkBoundary.tsx'
import { Modal } from '../shared/components/Modal.tsx'

const StepUpDialog = lazy(async () => {
  const chunk = await loadChunk(() => import('./StepUpDialog.tsx'))
  return { default: chunk.StepUpDialog }
})

const SignInAgainDialog = lazy(async () => {
  const chunk = await loadChunk(() => import('./SignInAgainDialog.tsx'))
  return { default: chunk.SignInAgainDialog }
})

/** Dialogs that open over any page: one for step-up, and one for a session that has ended. */
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

type FailedDialogProps = { isOpaque?: boolean; cancelLabel: string; onCancel: () => void }

/**
 * Replaces a dialog whose code could not be loaded. Cancel answers the question, because the action waits for an
 * answer.
 */
function FailedDialog({ isOpaque = false, cancelLabel, onCancel }: FailedDialogProps) {
  return (
    <Modal heading="A part of this page could not be loaded" isOpaque={isOpaque} onCancel={onCancel}>
      <p className="lead">{FAILED_CHUNK.advice}</p>
      <button type="button" className="button button-main" onClick={() => location.reload()}>
        {FAILED_CHUNK.remedy}
      </button>
      <button type="button" className="button button-quiet" onClick={onCancel}>
        {cancelLabel}
      </button>
    </Modal>
  )
}
