/** Parses a form and its files. The body must be multipart/form-data or application/x-www-form-urlencoded. */
export async function readFormBody(
  body: unknown,
  contentType: string | undefined,
): Promise<FormData | undefined> {
  if (!Buffer.isBuffer(body) || contentType === undefined) return undefined;
  const response = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } });
  return response.formData().catch(() => undefined);
}
