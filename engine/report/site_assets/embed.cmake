# Writes OUTPUT, a C++ file with site_assets(), from the files of FOLDER: style.css as it is, and site.js, which is all
# scripts behind each other in the order of their use. Run with cmake -P.
set(scripts log_lines.js log_matcher.js log_cause.js search_engine.js site.js page_search.js page_filters.js page_log.js)
set(script "")
foreach(name ${scripts})
  file(READ ${FOLDER}/${name} text)
  string(APPEND script "${text}")
endforeach()
file(READ ${FOLDER}/style.css style)

set(code "#include \"engine/report/site_assets.h\"\n\nnamespace assay {\nnamespace {\n\n")
string(APPEND code "constexpr SiteAsset kAssets[] = {\n")
string(APPEND code "    {\"style.css\", R\"asset(${style})asset\"},\n")
string(APPEND code "    {\"site.js\", R\"asset(${script})asset\"},\n};\n\n")
string(APPEND code "}  // namespace\n\nstd::span<const SiteAsset> site_assets() { return kAssets; }\n\n}  // namespace assay\n")
file(WRITE ${OUTPUT} "${code}")
