const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

type MonogramProps = { name: string; image?: string | null | undefined }

/**
 * The picture of an organization or a user, or the first letter of the name. A picture on another site is not loaded,
 * because a request would tell that site who views the page.
 */
export function Monogram({ name, image }: MonogramProps) {
  if (image?.startsWith('data:image/')) return <img className="monogram-picture" src={image} alt="" />
  // A grapheme may be several code points: a flag, a family, a letter with an accent.
  const [first] = graphemes.segment(name.trim())
  return (
    <span className="monogram" aria-hidden="true">
      {first?.segment.toUpperCase()}
    </span>
  )
}
