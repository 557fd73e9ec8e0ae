/** BRAND_NAME. The service writes it into the document, so that the pages show it before any request. */
export const brandName = document.querySelector<HTMLMetaElement>('meta[name=application-name]')?.content ?? ''
