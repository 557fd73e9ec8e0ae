import { Link } from 'wouter'
import { Page } from '../shared/components/Page.tsx'
import { refusalOf } from './refusal-text.ts'

/** Instead of a page that the server refused. Nothing of the refused address is shown, and none of it is a link. */
export function Refused({ code }: { code: string }) {
  const { heading, explanation, isPassing } = refusalOf(code)
  return (
    <Page heading={heading} lead={explanation}>
      {isPassing ? (
        <button type="button" className="button button-main" onClick={() => location.reload()}>
          Try again
        </button>
      ) : (
        <Link href="/account" className="button button-main">
          Go to your account
        </Link>
      )}
    </Page>
  )
}
