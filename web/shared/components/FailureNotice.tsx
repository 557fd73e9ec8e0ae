import { useState } from 'react'
import { Link } from 'wouter'
import { RequestFailed } from '../api/request-failed.ts'
import { failureSentence, READS, type Sentences } from '../format/failure-sentence.ts'
import { Notice } from './Notice.tsx'

/** Resolves when the try has ended. */
type Retry = () => unknown

type FailureNoticeProps = { error: unknown; retry?: Retry | undefined; sentences?: Sentences | undefined }

/**
 * The reason of a failure. The account page sends another link to verify the email address. An error of the service also
 * shows the request id, which finds it in the log.
 */
export function FailureNotice({ error, retry, sentences }: FailureNoticeProps) {
  const failure = RequestFailed.from(error)
  return (
    <Notice kind="problem" isOutcome={retry === undefined}>
      <p>{failureSentence(failure, retry ? { ...READS, ...sentences } : sentences)}</p>
      {retry && !isRefusedAgain(failure) && <RetryButton retry={retry} />}
      {failure.code === 'EMAIL_NOT_VERIFIED' && <Link href="/account">Go to your account</Link>}
      {failure.status >= 500 && failure.reference && <p className="reference">Reference {failure.reference}</p>}
    </Notice>
  )
}

function RetryButton({ retry }: { retry: Retry }) {
  const [isTrying, setTrying] = useState(false)

  async function tryAgain() {
    setTrying(true)
    try {
      await retry()
    } finally {
      setTrying(false)
    }
  }

  return (
    <button type="button" className="text-button" aria-disabled={isTrying} onClick={() => !isTrying && tryAgain()}>
      {isTrying ? 'Trying…' : 'Try again'}
    </button>
  )
}

/** Another try gets the same refusal: the address is invalid (400), or names nothing that exists (404). */
function isRefusedAgain({ status }: RequestFailed): boolean {
  return status === 400 || status === 404
}
