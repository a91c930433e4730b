#include "heed/serve/language_names.h"

#include <map>

namespace heed {

std::string language_name(const std::string& code) {
  static const std::map<std::string, std::string> names{{"ar", "Arabic"},
                                                        {"bg", "Bulgarian"},
                                                        {"bn", "Bengali"},
                                                        {"ca", "Catalan"},
                                                        {"cs", "Czech"},
                                                        {"da", "Danish"},
                                                        {"de", "German"},
                                                        {"el", "Greek"},
                                                        {"en", "English"},
                                                        {"eo", "Esperanto"},
                                                        {"es", "Spanish"},
                                                        {"et", "Estonian"},
                                                        {"eu", "Basque"},
                                                        {"fa", "Persian"},
                                                        {"fi", "Finnish"},
                                                        {"fr", "French"},
                                                        {"ga", "Irish"},
                                                        {"gl", "Galician"},
                                                        {"he", "Hebrew"},
                                                        {"hi", "Hindi"},
                                                        {"hr", "Croatian"},
                                                        {"hu", "Hungarian"},
                                                        {"id", "Indonesian"},
                                                        {"it", "Italian"},
                                                        {"ja", "Japanese"},
                                                        {"ko", "Korean"},
                                                        {"lt", "Lithuanian"},
                                                        {"lv", "Latvian"},
                                                        {"ms", "Malay"},
                                                        {"nb", "Norwegian"},
                                                        {"nl", "Dutch"},
                                                        {"pb", "Portuguese (Brazil)"},
                                                        {"pl", "Polish"},
                                                        {"pt", "Portuguese"},
                                                        {"ro", "Romanian"},
                                                        {"ru", "Russian"},
                                                        {"sk", "Slovak"},
                                                        {"sl", "Slovenian"},
                                                        {"sq", "Albanian"},
                                                        {"sr", "Serbian"},
                                                        {"sv", "Swedish"},
                                                        {"th", "Thai"},
                                                        {"tl", "Tagalog"},
                                                        {"tr", "Turkish"},
                                                        {"uk", "Ukrainian"},
                                                        {"ur", "Urdu"},
                                                        {"vi", "Vietnamese"},
                                                        {"zh", "Chinese"},
                                                        {"zt", "Chinese (traditional)"}};
  const auto found = names.find(code);
  return found == names.end() ? code : found->second;
}

}  // namespace heed
