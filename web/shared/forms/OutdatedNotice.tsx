import { Notice } from '../components/Notice.tsx'

/** Warns the user before their change replaces another one that the page has read since they began to type. */
export function OutdatedNotice({ about }: { about: string }) {
  return (
    <Notice kind="information">
      {about} has changed since you began to type. What you save replaces it. To see it first, load the page again.
    </Notice>
  )
}
