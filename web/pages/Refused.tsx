import { Page } from '../components/Page.tsx'
import { Link } from '../routing/Link.tsx'
import { refusalOf } from '../words/refusal.ts'

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
        <Link to="/account" className="button button-main">
          Go to your account
        </Link>
      )}
    </Page>
  )
}
